import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { Markdown } from './markdown.tsx';
import { ParsedTexts, ParsedTextsProvider } from './parsed-texts.ts';

/** Time stands still, so that a busy machine does not make a text slow. */
const html = (text: string) => {
  const shown = createElement(Markdown, { text });
  return renderToStaticMarkup(
    createElement(ParsedTextsProvider, { value: new ParsedTexts(() => 0) }, shown),
  );
};

describe('hostile text', () => {
  test.for([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    'before <b onclick="alert(1)">bold</b> after',
    '<!-- a comment -->',
    '![pixel](https://example.org/pixel.png)',
  ])('shows markup and loads nothing: %s', (text) => {
    expect(html(text)).not.toMatch(/<(?:script|img|b)\b|<!--/);
  });

  test.for([
    '[x](javascript:alert(1))',
    '[x](JavaScript:alert(1))',
    '[x](data:text/html,hello)',
    '[x](vbscript:x)',
    '[x](//example.org)',
    '[x](/relative)',
    '<javascript:alert(1)>',
    '[x][y]\n\n[y]: javascript:alert(1)',
    '![x](javascript:alert(1))',
  ])('has no link that runs or leads elsewhere: %s', (text) => {
    expect(html(text)).not.toContain('<a ');
  });

  test('shows a link that it does not follow as it was written', () => {
    expect(html('[x](javascript:alert(1))')).toContain('[x](javascript:alert(1))');
    expect(html('[y]: javascript:alert(1)')).toContain('[y]: javascript:alert(1)');
  });

  test.for(['*', '_', '[', '`', '<', '> ', '- ', '1. ', '![', '(', '~~', '|', '[a](', '**a'])(
    'of 12,000 characters of %s is shown',
    (mark) => {
      expect(html(mark.repeat(12_000 / mark.length))).toMatch(/^<div/);
    },
  );

  test.for(['_*a', '*a_', '_a*', '*é_', '.*a', '[_*a', '_a', '*a', '> - ', '>', '1) '])(
    'of 12,000 characters of %s is not searched for marks, and shown as it is',
    (mark) => {
      const text = mark.repeat(12_000 / mark.length);
      expect(new ParsedTexts().tokensOf(text)).toBeNull();
      expect(html(text)).toContain(`whitespace-pre-wrap">${text.replaceAll('>', '&gt;')}</p>`);
    },
  );

  test.for([
    ['emphasis in emphasis', `${'_*a'.repeat(2000)}${'a*_'.repeat(2000)}`],
    ['strong text in strong text', `${'**a '.repeat(1300)}${' b**'.repeat(1300)}`],
    [
      'a table of 2,000 columns and 1,900 rows',
      `|${'a|'.repeat(2000)}\n|${'-|'.repeat(2000)}\n${'|\n'.repeat(1900)}`,
    ],
  ] as const)('with %s is not searched for marks', ([, text]) => {
    expect(new ParsedTexts().tokensOf(text)).toBeNull();
  });

  test('of eleven marks with blanks after each is shown at once', { timeout: 2000 }, () => {
    expect(html(`${`-${' '.repeat(5)}`.repeat(11)}end`)).toContain('end');
  });

  test.for(['-', '>', '1.', '2)'])(
    'of twelve marks %s with blanks between them is shown as it is',
    (mark) => {
      expect(new ParsedTexts().tokensOf(`one\n${`${mark}   `.repeat(12)}x`)).toBeNull();
    },
  );

  test('of 64 KiB in one word is shown whole', () => {
    const word = 'a'.repeat(65_536);
    expect(html(word)).toContain(word);
  });
});

test('an answer of 12,000 characters with marks in each line keeps them', () => {
  const lines =
    '## Days\n\nThe *first* day is **Monday**, `a_b` and [more](https://example.org).\n\n' +
    '- **One**: a_name and _soft_ text\n  - two ~~three~~\n\n| a | b |\n|---|---|\n| *c* | d |\n\n';
  const text = lines.repeat(12_000 / lines.length);
  expect(text.length).toBeGreaterThan(11_800);
  expect(html(text).match(/<strong/g)?.length).toBeGreaterThan(150);
});

test('a paragraph of 10,000 characters with 60 marks keeps them', () => {
  expect(html('a *soft* word '.repeat(60) + 'word '.repeat(1800))).toContain('<em>soft</em>');
});

test('a text with marks that takes more than 250 ms is shown as it is', () => {
  let nowMs = 0;
  const texts = new ParsedTexts(() => nowMs++ * 251);
  expect(texts.tokensOf('a **strong** word')).toBeNull();
});

test('a text is parsed once, however often it is shown', () => {
  const texts = new ParsedTexts();
  const first = texts.tokensOf('**once**');
  for (let other = 0; other < 299; other += 1) texts.tokensOf(`text ${other}`);
  expect(texts.tokensOf('**once**')).toBe(first);
});

test('only the newest texts are kept parsed', () => {
  const texts = new ParsedTexts();
  const first = texts.tokensOf('**once**');
  for (let other = 0; other < 300; other += 1) texts.tokensOf(`text ${other}`);
  expect(texts.tokensOf('**once**')).not.toBe(first);
});

test('links of http, https and mailto open elsewhere, and learn nothing of this page', () => {
  const text = '[a](https://example.org/a) http://example.org/b <mailto:ada@example.org>';
  const links = html(text).match(/<a [^>]*>/g) ?? [];
  expect(links).toHaveLength(3);
  for (const link of links) {
    expect(link).toMatch(/target="_blank" rel="noopener noreferrer"/);
  }
});

test('an image is a link with its text', () => {
  expect(html('![A cat](https://example.org/cat.png)')).toMatch(
    /<a href="https:\/\/example.org\/cat.png"[^>]*>A cat<\/a>/,
  );
});

test('marks become elements, and headings none of the page', () => {
  const text =
    '# Title\n\n**bold** *soft* ~~gone~~ `code`\n\n- one\n- [x] two\n\n3. three\n\n> quote';
  const shown = html(text);
  expect(shown).not.toMatch(/<h\d/);
  for (const part of [
    /<strong[^>]*>Title/,
    /<strong[^>]*>bold/,
    /<em>soft/,
    /<del>gone/,
    /<code[^>]*>code/,
    /<li[^>]*>one/,
    /☑ /,
    /<ol[^>]*start="3"/,
    /<blockquote/,
  ]) {
    expect(shown).toMatch(part);
  }
});

test('lines and characters that Markdown would swallow are kept', () => {
  expect(html('one\ntwo')).toContain('one<br/>two');
  expect(html('a &amp; b \\* c')).toContain('a &amp;amp; b * c');
});

test('a table has heads and cells', () => {
  const shown = html('| a | b |\n|---|--:|\n| 1 | 2 |');
  expect(shown).toMatch(/<th scope="col"[^>]*>a<\/th>/);
  expect(shown).toMatch(/<td class="[^"]*text-right[^"]*">2<\/td>/);
});
