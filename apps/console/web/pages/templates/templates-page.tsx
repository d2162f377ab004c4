/** The templates of a project. */
export function TemplatesPage() {
  return <h1 className="text-head font-strong">Templates</h1>;
}
