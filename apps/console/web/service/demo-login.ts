/** Returns a token of the local stack's demo account. Throws with a sentence when the console's server gives none. */
export async function demoLogin(key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch('/demo-login', { method: 'POST', cache: 'no-store', headers });
  if (answer.status === 403) {
    throw new Error(
      'The local stack refuses this page or its key. Open the first address that npm start prints.',
    );
  }
  if (!answer.ok) {
    throw new Error(
      'The local stack gives no token of its demo account. Sign up below, or look at the log of npm start.',
    );
  }
  const { token }: { readonly token: string } = await answer.json();
  return token;
}
