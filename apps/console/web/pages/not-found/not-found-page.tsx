/** What an unknown address shows. */
export function NotFoundPage() {
  return <h1 className="text-head font-strong">There is no such page</h1>;
}
