export interface Config {
  /** The address of the API, or its path under the console's own origin. */
  readonly apiUrl: string;
  /** Whether `POST /demo-login` signs a visitor in: only in a local stack. */
  readonly demo: boolean;
}

export async function loadConfig(): Promise<Config> {
  const answer = await fetch('/config.json', { cache: 'no-store' });
  if (!answer.ok) {
    throw new Error(
      `The console’s server answered GET /config.json with ${answer.status}. Check its log, then try again.`,
    );
  }
  const { apiUrl, demo = false } = await answer.json();
  return { apiUrl, demo };
}
