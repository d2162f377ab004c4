import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type Client, createClient } from '@session/client';
import { pause, StartError } from '@session/kit';
import {
  type BrowserContext,
  fillMessages,
  type LaunchedChromium,
  launchChromium,
  type RunningStack,
  startStack,
} from '@session/testing/browser';

const POLL_MS = 10;
const DEADLINE_MS = 60_000;

/** A stack of the bench's own with its console, a Chromium, and a user with a project. */
export class ConsoleTestbed implements AsyncDisposable {
  readonly consoleUrl: string;
  /** The same with the key of the demo account. */
  readonly demoUrl: string;
  readonly stop: AbortSignal;
  readonly #owned: AsyncDisposableStack;
  readonly #stack: RunningStack;
  readonly #chromium: LaunchedChromium;
  #user:
    | { readonly token: string; readonly client: Client; readonly projectId: string }
    | undefined;

  private constructor(
    stack: RunningStack,
    chromium: LaunchedChromium,
    { owned, stop }: { readonly owned: AsyncDisposableStack; readonly stop: AbortSignal },
  ) {
    const { consoleUrl, demoUrl } = stack;
    if (!(consoleUrl && demoUrl))
      throw new StartError('The stack has no console: its pages were not built.');
    this.consoleUrl = consoleUrl;
    this.demoUrl = demoUrl;
    this.stop = stop;
    this.#owned = owned;
    this.#stack = stack;
    this.#chromium = chromium;
  }

  /** Starts everything, in a folder below `folder` that is removed at the end. */
  static async start(folder: string, stop: AbortSignal): Promise<ConsoleTestbed> {
    await using owned = new AsyncDisposableStack();
    const chromium = owned.use(await launchChromium());
    const stack = owned.use(await startStack(path.join(folder, `console-${randomUUID()}`)));
    stop.throwIfAborted();
    return new ConsoleTestbed(stack, chromium, { owned: owned.move(), stop });
  }

  get browserVersion(): string {
    return this.#chromium.browser.version();
  }

  get apiUrl(): string {
    return this.#stack.apiUrl;
  }

  /** The address at which the media server answers over HTTP. */
  get mediaHttpUrl(): string {
    return this.#stack.mediaUrl.replace(/^ws/, 'http');
  }

  /** Returns a context with an empty cache, in which the holder of `token` is signed in, or nobody. */
  async openContext(token?: string): Promise<BrowserContext> {
    this.stop.throwIfAborted();
    const storage = token ? [{ name: 'session.token', value: token }] : [];
    const context = await this.#chromium.browser.newContext({
      baseURL: this.consoleUrl,
      viewport: { width: 1280, height: 800 },
      permissions: ['microphone'],
      storageState: {
        cookies: [],
        origins: [{ origin: new URL(this.consoleUrl).origin, localStorage: storage }],
      },
    });
    context.setDefaultTimeout(DEADLINE_MS);
    return context;
  }

  /** Returns a client of the API for the holder of `token`. */
  clientOf(token: string): Client {
    return createClient({ baseUrl: this.#stack.apiUrl, token });
  }

  /** Returns the user whose sessions are measured. */
  async user() {
    this.#user ??= await this.#signUp();
    return this.#user;
  }

  /** Creates a session with a history of `count` messages, and returns its id. */
  async createSession(name: string, count = 0): Promise<string> {
    const { client, projectId } = await this.user();
    const { id } = await client.sessions.create(projectId, { name });
    if (count > 0) await fillMessages(this.#stack.databaseUrl, id, count);
    return id;
  }

  /** Kills the process of a part. The stack starts it again. */
  async kill(part: string): Promise<void> {
    const pid = (await this.#stack.pids())[part];
    if (pid === undefined) throw new StartError(`The stack has no ${part}.`);
    process.kill(pid, 'SIGKILL');
  }

  /** Waits until `isSo` returns true. Throws a StartError that names `what` when that takes a minute. */
  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS;
    while (!(await isSo())) {
      if (performance.now() > deadline) throw new StartError(`It took too long: ${what}.`);
      await pause(POLL_MS, this.stop);
      this.stop.throwIfAborted();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }

  async #signUp() {
    const anyone = createClient({ baseUrl: this.#stack.apiUrl });
    const account = { email: `bench-${randomUUID()}@example.com`, password: randomUUID() };
    const { token } = await anyone.auth.signUp({ ...account, name: 'Bench' });
    const client = this.clientOf(token);
    const { id: projectId } = await client.projects.create({ name: 'Bench' });
    return { token, client, projectId };
  }
}
