import { provideSpeech, SpeechUnavailable } from '../speech/provide-speech.ts';
import { prepareSpeech } from '../speech/server.ts';
import { speechCache } from '../speech/speech-folder.ts';
import { onFreePorts, running, type StartedPart } from './parts.ts';
import { LOOPBACK, type StackContext } from './stack-context.ts';

export type SpeechContext = Pick<StackContext, 'portOf' | 'progress' | 'start' | 'stop'> & {
  readonly config: Pick<StackContext['config'], 'speech'>;
};

const NONE = { address: undefined };

/**
 * Starts the speech server if the user asks for it, and returns its base URL. If it fails, one sentence gives the
 * reason and the remedy.
 */
export async function startSpeech(
  context: SpeechContext,
  env: NodeJS.ProcessEnv,
  cache = speechCache,
): Promise<StartedPart<string | undefined>> {
  const { config, progress, stop, start, portOf } = context;
  if (!config.speech) return NONE;
  try {
    const { modelFolder } = config.speech;
    const program = await provideSpeech({ env, stop, progress, cache, modelFolder });
    return await onFreePorts(
      () => portOf('speech server', LOOPBACK),
      async (port) =>
        running(await start(prepareSpeech(program, port, env)), `http://${LOOPBACK}:${port}/v1`),
    );
  } catch (error) {
    if (!stop.aborted)
      progress.say(`SPEECH=local has no effect, agents only write: ${reasonOf(error, cache)}`);
    return NONE;
  }
}

function reasonOf(error: unknown, cache: string): string {
  const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  if (error instanceof SpeechUnavailable) return reason;
  return `${reason}. Delete ${cache} and start again; if that does not help, logs/speech.log says more.`;
}
