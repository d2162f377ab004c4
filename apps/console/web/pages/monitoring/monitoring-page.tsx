/** What a project’s recordings look like to an operator. */
export function MonitoringPage() {
  return <h1 className="text-head font-strong">Monitoring</h1>;
}
