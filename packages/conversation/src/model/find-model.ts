import { readBody } from '@session/kit';
import * as z from 'zod';
import { cutText, oneLine } from '../clean-text.ts';
import type { ModelSettings } from '../settings/settings.ts';
import type { HttpExchange } from './http-exchange.ts';
import { ModelFailure } from './model-failure.ts';
import { statusFailure } from './response-error.ts';

const MAX_LIST_BYTES = 1_048_576;
const MAX_NAMED_MODELS = 20;
const MAX_NAME_LENGTH = 100;

const ModelList = z.object({ data: z.array(z.object({ id: z.string().min(1) })) });

/** Returns the only model that an endpoint offers. Throws a ModelFailure that lists the models when there are several. */
export async function findOnlyModel(
  exchange: HttpExchange,
  { baseUrl, apiKey, prefix }: ModelSettings,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const response = await exchange.send(
    new URL(`${baseUrl}/models`),
    { method: 'GET', headers },
    signal,
  );
  const { statusCode: status = 0 } = response;
  const body = await readBody(response, MAX_LIST_BYTES);
  if (status >= 300) throw statusFailure(status, response.headers);
  const models = namesOf(body);
  const [only, ...others] = models;
  if (only !== undefined && others.length === 0) return only;
  const named = models
    .slice(0, MAX_NAMED_MODELS)
    // An endpoint may echo the key.
    .map((name) => cutText(oneLine(name.replaceAll(apiKey, '••••')), MAX_NAME_LENGTH));
  const offered =
    only === undefined ? 'no model that can be listed' : `several: ${named.join(', ')}`;
  const why = `${prefix}_MODEL is needed, because the endpoint offers ${offered}`;
  throw new ModelFailure('refused', why);
}

function namesOf(body: string | undefined): string[] {
  try {
    return ModelList.parse(JSON.parse(body ?? '')).data.map(({ id }) => id);
  } catch {
    return [];
  }
}
