import { SpeechText } from '@session/conversation';
import { type Framework, streamOf } from '../framework.ts';

/**
 * Returns a function that is called with the sentences of one answer as they are written, and returns what is spoken of
 * each: no markdown, no emoji, no code, links by their title.
 */
export function openSpokenText(
  framework: () => Promise<Framework>,
): (written: string) => Promise<string> {
  const text = new SpeechText();
  return async (written) => {
    const spoken = text.push(written);
    const { textTransforms } = await framework();
    const { filterEmoji, filterMarkdown } = textTransforms;
    let filtered = '';
    for await (const part of filterEmoji(filterMarkdown(streamOf(spoken)))) filtered += part;
    return filtered;
  };
}
