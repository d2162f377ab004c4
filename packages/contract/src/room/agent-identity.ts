/**
 * Returns the identity of an agent in its room. It contains the end of the id, because ids that are made together have the
 * same beginning.
 */
export function agentIdentity({ role, agentId }: { role: string; agentId: string }): string {
  return `agent-${role}-${agentId.slice(-8)}`;
}
