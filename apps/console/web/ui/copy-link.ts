import { copyText } from './copy-text.ts';
import { toast } from './toast.tsx';

/** Copies a link to a page of a project. Where the browser does not allow it, a notice shows the link. */
export async function copyLink(link: string): Promise<void> {
  const isCopied = await copyText(link);
  toast(isCopied ? 'The link is copied. Members of the project can open it.' : `The link: ${link}`);
}
