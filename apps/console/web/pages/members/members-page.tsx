/** The members of a project. */
export function MembersPage() {
  return <h1 className="text-head font-strong">Members</h1>;
}
