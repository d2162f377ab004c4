/** The user’s projects. */
export function ProjectsPage() {
  return <h1 className="text-head font-strong">Projects</h1>;
}
