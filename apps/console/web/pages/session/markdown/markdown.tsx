import type { MarkedToken, Token } from 'marked';
import { Fragment, memo, type ReactNode, useEffect, useRef, useState } from 'react';
import { classNames } from '../../../ui/class-names.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { scrollable } from '../../../ui/scrollable.ts';
import { InlineCode, List, Quote, SafeLink, Strong } from './marks.tsx';
import { numbered } from './numbered.ts';
import { useParsedTexts } from './parsed-texts.ts';
import { Table } from './table.tsx';

/**
 * For each line of a long word, the browser shapes the whole rest of the word: 20 s for 32,000 letters. Without kerning, it
 * does not.
 */
const LONG_WORD = /\S{400}/;

interface MarkdownProps {
  readonly text: string;
  readonly isGrowing?: boolean;
}

/** Shows a message. Markdown becomes our own elements. HTML, unsafe links and unknown marks are shown as text. */
export const Markdown = memo(({ text, isGrowing = false }: MarkdownProps) => {
  const shown = usePacedText(text, isGrowing);
  const tokens = useParsedTexts().tokensOf(shown);
  return (
    <div
      dir="auto"
      className={classNames(
        'flex min-w-0 flex-col gap-2 wrap-anywhere',
        LONG_WORD.test(shown) && '[font-kerning:none]',
      )}
    >
      {tokens ? nodes(tokens) : <p className="whitespace-pre-wrap">{shown}</p>}
    </div>
  );
});
Markdown.displayName = 'Markdown';

function nodes(tokens: readonly Token[]): ReactNode {
  return numbered(tokens).map(({ item, position }) => (
    <Fragment key={position}>{isMarked(item) ? node(item) : item.raw}</Fragment>
  ));
}

const TYPES: ReadonlySet<string> = new Set(
  [
    'blockquote br checkbox code codespan def del em escape heading hr html image link list',
    'list_item paragraph space strong table text',
  ].flatMap((types) => types.split(' ')),
);

function isMarked(token: Token): token is MarkedToken {
  return TYPES.has(token.type);
}

function node(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'paragraph':
      return <p>{nodes(token.tokens)}</p>;
    case 'heading':
      return (
        <p>
          <Strong>{nodes(token.tokens)}</Strong>
        </p>
      );
    case 'blockquote':
      return <Quote>{nodes(token.tokens)}</Quote>;
    case 'code':
      return <CodeBlock text={token.text} language={token.lang} />;
    case 'table':
      return <Table header={token.header} rows={token.rows} render={nodes} />;
    case 'list':
      return <List start={token.ordered ? Number(token.start) : null}>{nodes(token.items)}</List>;
    case 'list_item':
      return <li className="ps-1">{nodes(token.tokens)}</li>;
    case 'hr':
      return <hr className="border-line" />;
    case 'space':
      return '';
    case 'br':
      return <br />;
    case 'text':
      return token.tokens ? nodes(token.tokens) : token.text;
    case 'escape':
      return token.text;
    case 'strong':
      return <Strong>{nodes(token.tokens)}</Strong>;
    case 'em':
      return <em>{nodes(token.tokens)}</em>;
    case 'del':
      return <del>{nodes(token.tokens)}</del>;
    case 'codespan':
      return <InlineCode>{token.text}</InlineCode>;
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'link':
      return <SafeLink {...token}>{nodes(token.tokens)}</SafeLink>;
    case 'image':
      // Never an image, because loading it would reveal to its server who reads this.
      return <SafeLink {...token}>{token.text || token.href}</SafeLink>;
    case 'def':
    case 'html':
      break;
  }
  return token.raw;
}

interface CodeBlockProps {
  readonly text: string;
  readonly language: string | undefined;
}

function CodeBlock({ text, language }: CodeBlockProps) {
  const name = language || 'code';
  return (
    <figure aria-label={name} className="overflow-hidden rounded-card border border-line bg-sunken">
      <figcaption className="flex items-center justify-between gap-2 border-line border-b ps-3 pe-1 text-ink-3 text-label">
        <span className="truncate font-mono">{name}</span>
        <CopyButton text={text} label="Copy code" />
      </figcaption>
      <pre ref={scrollable} dir="ltr" className="overflow-x-auto p-3 font-mono text-label">
        <code>{text}</code>
      </pre>
    </figure>
  );
}

const GROWING_MS = 500;

/** Returns a text that changes at most twice a second while it grows, and is up to date as soon as it is whole. */
function usePacedText(text: string, isGrowing: boolean): string {
  const newest = useRef(text);
  const [paced, setPaced] = useState(text);
  useEffect(() => {
    newest.current = text;
  }, [text]);
  useEffect(() => {
    if (!isGrowing) return undefined;
    const timer = setInterval(() => setPaced(newest.current), GROWING_MS);
    return () => clearInterval(timer);
  }, [isGrowing]);
  return isGrowing ? paced : text;
}
