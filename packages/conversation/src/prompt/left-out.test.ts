import { expect, test } from 'vitest';
import { PromptHistory } from './history.ts';
import { TokenEstimate } from './token-estimate.ts';

const LEFT_OUT = '[left out: the language model refuses to read it]';

test('of what no endpoint has accepted, words and results are left out, and calls stay', () => {
  const history = new PromptHistory(new TokenEstimate());
  history.add({ kind: 'user', text: 'Find Ada' });
  history.addAnswer('Which Ada?');
  history.accept(history.entries);
  const call = { id: '1', name: 'search', arguments: '{"name":"Ada"}' };
  history.add({ kind: 'tools', text: 'One moment.', calls: [call], results: ['Ada'] });
  history.add({ kind: 'user', text: 'And Bob', speaker: 'Ann', identity: 'ann' });
  history.addAnswer('Bob lives in', true);
  history.add({ kind: 'note', text: '[Result of book: Bob]' });
  history.leaveOutNew();
  expect(history.messages(1000)).toEqual([
    { role: 'user', content: '(no name): Find Ada' },
    { role: 'assistant', content: 'Which Ada?' },
    { role: 'assistant', content: LEFT_OUT, toolCalls: [{ ...call, arguments: '{}' }] },
    { role: 'tool', toolCallId: '1', content: LEFT_OUT },
    { role: 'user', content: `Ann: ${LEFT_OUT}` },
    { role: 'assistant', content: `${LEFT_OUT} …` },
    { role: 'user', content: LEFT_OUT },
  ]);
});
