import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from './button.tsx';
import { copyText } from './copy-text.ts';
import { toast } from './toast.tsx';

const CONFIRMED_MS = 1500;

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
}

export function CopyButton({ text, label = 'Copy' }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    if (await copyText(text)) setCopied(true);
    else toast('The browser did not allow copying. Select the text and copy it yourself.');
  };
  const Icon = isCopied ? Check : Copy;
  return (
    <IconButton
      label={isCopied ? 'Copied' : label}
      onClick={() => void copy()}
      className="size-6 shrink-0"
    >
      <Icon aria-hidden size={14} />
    </IconButton>
  );
}
