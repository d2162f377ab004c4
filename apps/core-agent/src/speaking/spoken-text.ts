import { SpeechText } from '@session/conversation';
import { type Framework, streamOf } from '../framework.ts';
import type { SpokenTextOf } from './spoken-answer.ts';

/**
 * Returns the function that turns sentences into their spoken form: no markdown, no emoji, no code, and links by their
 * title.
 */
export function openSpokenText(framework: () => Promise<Framework>): SpokenTextOf {
  const text = new SpeechText();
  return async (written, isLast) => {
    const spoken = text.push(written) + (isLast ? text.end() : '');
    const { textTransforms } = await framework();
    const { filterEmoji, filterMarkdown } = textTransforms;
    let filtered = '';
    for await (const part of filterEmoji(filterMarkdown(streamOf(spoken)))) filtered += part;
    return filtered;
  };
}
