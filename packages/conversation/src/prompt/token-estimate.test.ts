import { describe, expect, test } from 'vitest';
import type { ChatMessage } from '../model/chat-message.ts';
import { TokenEstimate } from './token-estimate.ts';

describe('the estimate of tokens', () => {
  const messages: ChatMessage[] = [{ role: 'user', content: 'x'.repeat(700) }];

  test('is 3.5 bytes a token until the endpoint has counted', () => {
    const estimate = new TokenEstimate();
    expect(estimate.tokensOf(messages)).toBe(
      Math.ceil(JSON.stringify([messages, []]).length / 3.5),
    );
    estimate.learn(usageOf(500), messages, []);
    expect(estimate.tokensOf(messages)).toBe(500);
    expect(estimate.bytesFor(500)).toBeCloseTo(735, -1);
  });

  test('does not count the signatures of calls', () => {
    const call = { id: '1', name: 'book', arguments: '{}' };
    const sizeWith = (signature?: string) =>
      new TokenEstimate().tokensOf([
        { role: 'assistant', content: '', toolCalls: [{ ...call, signature }] },
      ]);
    expect(sizeWith('x'.repeat(60_000))).toBe(sizeWith());
  });

  test.each([0, 1, 50_000, Number.NaN])('does not believe a count of %d', (promptTokens) => {
    const estimate = new TokenEstimate();
    const before = estimate.tokensOf(messages);
    estimate.learn(usageOf(promptTokens), messages, []);
    expect(estimate.tokensOf(messages)).toBe(before);
  });
});

function usageOf(promptTokens: number) {
  return { promptTokens, completionTokens: 0 };
}
