/** Returns the expression for the role of an agent, whose row `agents_one_per_role` may want to have another value. */
export function roleText(agent: string): string {
  return `split_part(${agent}.role, '/', 1)`;
}
