/** Returns the expression for the role of an agent, without the suffix that `agents_one_per_role` needs. */
export function roleText(agent: string): string {
  return `split_part(${agent}.role, '/', 1)`;
}

/** Returns the expression for the identity of an agent in its room, as `agentIdentity` of the contract returns it. */
export function agentIdentityText(agent: string): string {
  return `'agent-' || ${roleText(agent)} || '-' || right(${agent}.id::text, 8)`;
}
