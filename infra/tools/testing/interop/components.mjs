// What LiveKit's components show of an agent: asks the server who is in the room, hands that to livekit-client's participant,
// and writes a line for each state that components-core observes.
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ParticipantAgentAttributes,
  participantAttributesObserver,
} from '@livekit/components-core';
import { ParticipantInfo } from '@livekit/protocol';
import { RemoteParticipant } from 'livekit-client';

const { MEDIA_URL, MEDIA_API_KEY, MEDIA_API_SECRET, MEDIA_ROOM } = process.env;
const base64 = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const exp = Math.floor(Date.now() / 1000) + 600;
const claims = { iss: MEDIA_API_KEY, exp, video: { roomAdmin: true, room: MEDIA_ROOM } };
const unsigned = `${base64({ alg: 'HS256', typ: 'JWT' })}.${base64(claims)}`;
const signature = createHmac('sha256', MEDIA_API_SECRET).update(unsigned).digest('base64url');
const headers = {
  authorization: `Bearer ${unsigned}.${signature}`,
  'content-type': 'application/json',
};
const url = `${MEDIA_URL.replace('ws', 'http')}/twirp/livekit.RoomService/ListParticipants`;
const body = JSON.stringify({ room: MEDIA_ROOM });

let agent;
for (;;) {
  const answer = await fetch(url, { method: 'POST', headers, body });
  const { participants = [] } = await answer.json();
  const found = participants.find(({ identity }) => identity.startsWith('agent-'));
  const info = found && ParticipantInfo.fromJson(found, { ignoreUnknownFields: true });
  if (info && agent) agent.updateInfo(info);
  if (info && !agent) {
    agent = RemoteParticipant.fromParticipantInfo({}, info, {});
    participantAttributesObserver(agent).subscribe(({ attributes }) => {
      const state = attributes[ParticipantAgentAttributes.AgentState];
      if (agent.isAgent && state) process.stdout.write(`${state}\n`);
    });
  }
  await sleep(10);
}
