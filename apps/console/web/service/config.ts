/** What the console's server says of the deployment. */
export interface Config {
  /** The address of the API, or its path under the console's own origin. */
  readonly apiUrl: string;
  /** Whether `POST /demo-login` signs a visitor in: only in a local stack. */
  readonly demo: boolean;
}

/** Returns `/config.json`. Throws when the server does not send one. */
export async function loadConfig(): Promise<Config> {
  const answer = await fetch('/config.json', { cache: 'no-store' });
  if (!answer.ok) throw new Error(`GET /config.json was answered with ${answer.status}`);
  const { apiUrl, demo = false } = await answer.json();
  return { apiUrl, demo };
}
