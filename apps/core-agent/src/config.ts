import { readBoth } from '@session/agent-kit';
import { type ConversationConfig, loadConfig as loadShared } from '@session/agent-kit/conversation';
import { readEnv } from '@session/kit';
import * as z from 'zod';

export interface Config extends ConversationConfig {
  /** Where the local speech server is: the platform says so where it runs one. */
  readonly localSpeechUrl: string | undefined;
}

const Platform = z.object({
  AGENT_SPEECH_URL: z
    .url({
      protocol: /^https?$/,
      error: 'the address of the local speech server, as http://HOST:PORT/v1',
    })
    .optional(),
});

/** Returns the agent's configuration. Throws a StartError with one line for each missing or faulty variable of `env`. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const [shared, platform] = readBoth(
    () => loadShared(env),
    () => readEnv(Platform, env),
  );
  return { ...shared, localSpeechUrl: platform.AGENT_SPEECH_URL };
}
