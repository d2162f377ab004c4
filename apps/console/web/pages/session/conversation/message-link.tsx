import { Link2 } from 'lucide-react';
import { memo } from 'react';
import { classNames } from '../../../ui/class-names.ts';
import { copyLink } from '../../../ui/copy-link.ts';

interface MessageLinkProps {
  readonly timestamp: string;
  readonly isFirst: boolean;
}

/** Copies the link to a stored message. It appears beside the message under the pointer, and with the focus. */
export const MessageLink = memo(({ timestamp, isFirst }: MessageLinkProps) => (
  <button
    type="button"
    aria-label="Copy the link to this message"
    title="Copy the link to this message"
    onClick={() => void copyLink(linkTo(timestamp))}
    className={classNames(
      'absolute end-0 inline-flex size-6 cursor-pointer items-center justify-center rounded-control text-ink-3 opacity-0 hover:text-ink focus-visible:opacity-100 group-hover/row:opacity-100',
      // A finger hovers over nothing.
      isFirst ? 'top-3.5 pointer-coarse:opacity-100' : 'top-1.5',
    )}
  >
    <Link2 aria-hidden size={14} />
  </button>
));
MessageLink.displayName = 'MessageLink';

function linkTo(timestamp: string): string {
  return `${location.origin}${location.pathname}?${new URLSearchParams({ at: timestamp })}`;
}
