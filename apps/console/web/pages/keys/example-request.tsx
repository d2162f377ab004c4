import { useService } from '../../service/service.ts';
import { CopyButton } from '../../ui/copy-button.tsx';

interface ExampleRequestProps {
  readonly projectId: string;
  readonly secret: string | null;
}

export function ExampleRequest({ projectId, secret }: ExampleRequestProps) {
  const { config } = useService();
  const apiUrl = new URL(config.apiUrl, location.href).href.replace(/\/$/, '');
  const line = `curl -H "Authorization: Bearer ${secret ?? '$API_KEY'}" ${apiUrl}/projects/${projectId}/sessions`;
  return <CopiedCode text={line} label="Copy the request" />;
}

export function CopiedCode({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="flex w-full min-w-0 items-start gap-2 rounded-control bg-sunken p-3">
      <code dir="ltr" className="min-w-0 flex-1 font-mono text-label leading-6 break-all">
        {text}
      </code>
      <CopyButton text={text} label={label} />
    </div>
  );
}
