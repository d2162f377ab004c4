/** The form with which a user signs in. */
export function SignInPage() {
  return <h1 className="text-head font-strong">Sign in</h1>;
}
