import { ModelClient, type ModelClientOptions } from '../model/model-client.ts';
import { type ModelSettings, REHEARSAL_KEY } from '../settings/settings.ts';
import { startRehearsalServer } from './rehearsal-server.ts';

export interface OpenModel extends AsyncDisposable {
  readonly client: ModelClient;
}

/** Opens the model of a template. The key `rehearsal` starts the rehearsal model in this process. */
export async function openModel(
  settings: ModelSettings,
  options: ModelClientOptions = {},
): Promise<OpenModel> {
  await using stack = new AsyncDisposableStack();
  const isRehearsal = settings.apiKey === REHEARSAL_KEY;
  const server = isRehearsal ? stack.use(await startRehearsalServer()) : undefined;
  const reached = server
    ? { ...settings, baseUrl: server.baseUrl, model: undefined, proxies: {} }
    : settings;
  const client = stack.use(new ModelClient(reached, options));
  const owned = stack.move();
  return { client, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
