/** An agent: its timeline and its logs. */
export function AgentPage() {
  return <h1 className="text-head font-strong">Agent</h1>;
}
