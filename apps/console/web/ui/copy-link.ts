import { copyText } from './copy-text.ts';
import { toast } from './toast.tsx';

export async function copyLink(link: string): Promise<void> {
  const isCopied = await copyText(link);
  toast(isCopied ? 'The link is copied. Members of the project can open it.' : `The link: ${link}`);
}
