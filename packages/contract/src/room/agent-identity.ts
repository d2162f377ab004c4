/** Returns the identity of an agent in its room. It ends like the id, as ids that are made together begin alike. */
export function agentIdentity({ role, agentId }: { role: string; agentId: string }): string {
  return `agent-${role}-${agentId.slice(-8)}`;
}
