import type { AgentTemplate, ListedAgentTemplateVersion } from '@session/client';
import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { useService } from '../../../service/service.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog, type DialogState } from '../../../ui/dialog.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useSubmit } from '../../../ui/use-submit.ts';
import { agentVersionQuery, agentVersionsQuery, refreshTemplate } from '../template-queries.ts';
import { VersionView } from './version-view.tsx';

interface VersionsDialogProps extends DialogState {
  readonly template: AgentTemplate;
  readonly isDirty: boolean;
  readonly onRestored: () => void;
}

export function VersionsDialog({ isOpen, ...content }: VersionsDialogProps) {
  const { onClose, template } = content;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Versions of “${template.name}”`}
      description="Each save makes a version. The newest 50 are kept, and every version that an agent runs with."
      width="large"
    >
      <Versions {...content} />
    </Dialog>
  );
}

function Versions(props: Omit<VersionsDialogProps, 'isOpen'>) {
  const { client } = useService();
  const query = useQuery(agentVersionsQuery(client, props.template.id));
  const [shown, setShown] = useState<number | null>(null);
  return (
    <Loaded query={query} label="Versions" skeleton={<Skeleton className="h-20 w-full" />}>
      {(versions) => (
        <ol className="divide-y divide-line rounded-card border border-line">
          {versions.map((version) => (
            <Version
              key={version.version}
              {...props}
              version={version}
              isShown={shown === version.version}
              onShow={(is) => setShown(is ? version.version : null)}
            />
          ))}
        </ol>
      )}
    </Loaded>
  );
}

interface VersionProps extends Omit<VersionsDialogProps, 'isOpen'> {
  readonly version: ListedAgentTemplateVersion;
  readonly isShown: boolean;
  readonly onShow: (isShown: boolean) => void;
}

function Version(props: VersionProps) {
  const { template, version, isShown, onShow } = props;
  const isNewest = version.version === template.version;
  return (
    <li className="grid gap-3 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <button
          type="button"
          aria-expanded={isShown}
          onClick={() => onShow(!isShown)}
          className="inline-flex min-h-6 cursor-pointer items-center gap-1 rounded-control font-medium text-control"
        >
          <ChevronRight
            aria-hidden
            size={14}
            className={isShown ? 'rotate-90 transition-transform' : 'transition-transform'}
          />
          Version {version.version}
        </button>
        {isNewest ? <Badge tone="iris">Current</Badge> : null}
        <span className="text-ink-3 text-label">
          <Time at={version.createdAt} />
        </span>
        {isNewest ? null : <Restore {...props} />}
      </div>
      {isShown ? <Shown id={template.id} version={version.version} /> : null}
    </li>
  );
}

function Restore({ template, version: { version }, isDirty, onClose, onRestored }: VersionProps) {
  const { client, queries } = useService();
  const { isBusy, error, submit } = useSubmit();
  const restore = async (signal: AbortSignal) => {
    const change = { version: template.version, restore: version };
    const { name } = await client.agentTemplates.change(template.id, change);
    await refreshTemplate(queries, 'agent', template);
    toast(`Version ${version} of “${name}” was restored.`);
    // The dialog was closed, and the form behind it may have changes by now.
    if (signal.aborted) return;
    onClose();
    onRestored();
  };
  return (
    <>
      <span className="ms-auto flex flex-wrap items-center gap-2 text-ink-3 text-label">
        {isDirty ? 'Save or discard your changes first' : null}
        <Button size="small" isBusy={isBusy} disabled={isDirty} onClick={() => submit(restore)}>
          Restore<span className="sr-only"> version {version}</span>
        </Button>
      </span>
      <ErrorNotice error={error} className="w-full" />
    </>
  );
}

function Shown({ id, version }: { readonly id: string; readonly version: number }) {
  const { client } = useService();
  const query = useQuery(agentVersionQuery(client, id, version));
  return (
    <Loaded query={query} label={`Version ${version}`} skeleton={<Skeleton className="h-20" />}>
      {(content) => <VersionView version={content} />}
    </Loaded>
  );
}
