import { ExternalId } from '@session/contract';
import { AppError } from '@session/kit';
import * as z from 'zod';

const ATTRIBUTES = 20;

const Attributes = z
  .record(
    z
      .string()
      .max(100)
      .regex(/^(?!lk\.)./),
    z.string().max(1000),
    {
      error: ({ code }) =>
        code === 'invalid_key'
          ? 'a name has 1 to 100 characters, and does not begin with `lk.`'
          : undefined,
    },
  )
  .refine((attributes) => Object.keys(attributes).length <= ATTRIBUTES, {
    error: `a participant has at most ${ATTRIBUTES} attributes`,
  })
  .meta({ maxProperties: ATTRIBUTES });
const Name = z.string().trim().min(1).max(200);

const participant = z
  .strictObject({
    id: ExternalId.describe('Your id of the end user: one account in all sessions of the project'),
    name: Name.describe('Under which agents and others know the end user'),
    attributes: Attributes.optional().describe(
      'Of the participant in the room, where the participant may change them: a hint, never an authority',
    ),
  })
  .describe('For an API key or an ADMIN: lets an end user of your product into this session');

const mode = z
  .enum(['join', 'observe', 'operator'])
  .default('join')
  .meta({
    description:
      '`join`: to take part. `observe`: to follow the room hidden from everybody in it, unable to send anything. An observer is ' +
      'not in the history, agents do not know of it, and it keeps no session from being idle. `operator`: to take part in the place ' +
      'of agents, which answer nothing while the bearer is in the room. For members and API keys, without `participant`',
  });

const refused = z.unknown().optional().describe('Not supported: a value is refused');

/** Our own fields, and those of LiveKit's `TokenSource.endpoint`. */
export const tokenRequest = z.strictObject({
  mode,
  participant: participant.optional(),
  accessTtl: z
    .int()
    .min(60)
    .max(86_400)
    .optional()
    .describe(
      'With `participant`: for how many seconds `accessToken` is valid. 3600 by default, and not beyond the end of the key',
    ),
  history: z
    .enum(['all', 'since_join'])
    .optional()
    .describe(
      'With `participant`: what `accessToken` reads. `all`, the default, or `since_join`: the messages since the first token of the end user for this session, and no state of the plans',
    ),
  room_name: z.string().optional().describe('The id of this session'),
  participant_identity: ExternalId.optional().describe('The same as `participant.id`'),
  participant_name: Name.optional().describe('The same as `participant.name`'),
  participant_attributes: Attributes.optional().describe('The same as `participant.attributes`'),
  participant_metadata: refused,
  room_config: refused,
});

export const tokenBody = tokenRequest.nullish().meta({
  examples: [{ mode: 'join', participant: { id: 'customer-7', name: 'Ada' } }],
});

export type TokenBody = NonNullable<z.output<typeof tokenBody>>;
export type TokenParticipant = z.output<typeof participant>;

export interface TokenWish extends Pick<TokenBody, 'mode' | 'history' | 'accessTtl'> {
  readonly participant: TokenParticipant | undefined;
}

/** Returns what a body asks for. Throws `invalid_request` for fields that contradict each other or would be ignored. */
export function wishOf(body: TokenBody, sessionId: string): TokenWish {
  const wish = { ...body, participant: participantIn(body, sessionId) };
  if (wish.participant && wish.mode === 'operator') {
    throw refusal('mode', 'an end user can only join or observe');
  }
  return wish;
}

function participantIn(body: TokenBody, sessionId: string): TokenParticipant | undefined {
  const { room_name: room = sessionId, participant_metadata: metadata, room_config: config } = body;
  if (room !== sessionId)
    throw refusal('room_name', 'it must be the id of this session, or absent');
  if (metadata !== undefined && metadata !== '')
    throw refusal('participant_metadata', 'leave it out, because it is not supported');
  if (config !== undefined)
    throw refusal('room_config', 'leave it out, and start agents with POST /sessions/{id}/agents');
  const { participant_identity: id, participant_name: name, participant_attributes: given } = body;
  const isLiveKits = id !== undefined || name !== undefined || given !== undefined;
  if (!(isLiveKits || body.participant)) refuseAccess(body);
  if (!isLiveKits) return body.participant;
  if (body.participant)
    throw refusal(
      'participant_identity',
      'send either `participant` or the fields `participant_…`, not both',
    );
  if (id === undefined) {
    const field = name === undefined ? 'participant_attributes' : 'participant_name';
    throw refusal(field, 'it needs `participant_identity`');
  }
  return { id, name: name ?? id.slice(0, 200), ...(given && { attributes: given }) };
}

function refuseAccess({ accessTtl, history }: TokenBody): void {
  for (const [field, value] of Object.entries({ accessTtl, history })) {
    if (value !== undefined) throw refusal(field, 'it needs `participant`');
  }
}

function refusal(field: string, why: string): AppError {
  const detail = `The field ${field} is refused: ${why}.`;
  return new AppError('invalid_request', `the field ${field} of a token request is refused`, {
    detail,
  });
}
