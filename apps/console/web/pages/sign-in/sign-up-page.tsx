/** The form with which a user signs up. */
export function SignUpPage() {
  return <h1 className="text-head font-strong">Sign up</h1>;
}
