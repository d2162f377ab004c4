import { expect, test } from 'vitest';
import { openConversation } from '../../testing/read-turn.ts';
import {
  begin,
  finish,
  type Reply,
  says,
  startScriptedModel,
} from '../../testing/scripted-model.ts';

const filters: Reply = (response) => {
  begin(response);
  finish(response, 'content_filter');
};

test('an answer that a filter ends before its first word is asked for twice, and again with the next text', async () => {
  await using model = await startScriptedModel(filters, filters, says('Yes.'));
  await using talk = openConversation(model);
  await talk.say('a');
  expect([model.requests.length, talk.conversation.retryAt]).toEqual([2, undefined]);
  expect((await talk.say('b')).text).toBe('Yes.');
  expect(model.requests[2]?.body['messages']).toMatchObject([{}, { content: 'a\n\nb' }]);
});
