import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';

const TEXT_LINK =
  'rounded-control font-medium text-iris underline decoration-iris/40 underline-offset-3 transition-colors hover:decoration-iris';

function TextAnchor({ className, children, ...rest }: ComponentProps<'a'>) {
  return (
    <a {...rest} className={classNames(TEXT_LINK, className)}>
      {children}
    </a>
  );
}

export const TextLink = createLink(TextAnchor);
