/** Returns the expression for the role of an agent, without the suffix that `agents_one_per_role` needs. */
export function roleText(agent: string): string {
  return `split_part(${agent}.role, '/', 1)`;
}
