import type { ApiKey, IssuedApiKey, Member } from '@session/client';
import { useState } from 'react';
import { keyRoles, roleName } from '../../service/permissions.ts';
import { refreshProjectList } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { RotationDialog } from '../../ui/rotation-dialog.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useNow } from '../../ui/use-now.ts';

interface KeyRowProps {
  readonly apiKey: ApiKey;
  readonly members: readonly Member[] | undefined;
  readonly ownRole: string | undefined;
  readonly onIssued: (issued: IssuedApiKey) => void;
}

export function KeyRow({ apiKey, members, ownRole, onIssued }: KeyRowProps) {
  const { name, role, prefix, expiresAt } = apiKey;
  const hasExpired = useNow() >= Date.parse(expiresAt ?? '');
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="grid min-w-48 flex-1 gap-0.5">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 font-medium text-control wrap-anywhere">{name}</span>
          <Badge>{roleName(role)}</Badge>
          {hasExpired ? <Badge tone="warning">Expired</Badge> : null}
        </span>
        <code className="font-mono text-ink-3 text-label wrap-anywhere">{prefix}_…</code>
        <Facts apiKey={apiKey} members={members} />
      </div>
      <div className="flex gap-1">
        {keyRoles(ownRole).includes(role) && !hasExpired ? (
          <Rotate apiKey={apiKey} onIssued={onIssued} />
        ) : null}
        <Delete apiKey={apiKey} />
      </div>
    </li>
  );
}

function Facts({ apiKey, members }: Pick<KeyRowProps, 'apiKey' | 'members'>) {
  const { createdAt, createdBy, expiresAt, lastUsedAt } = apiKey;
  const creator = members?.find(({ userId }) => userId === createdBy)?.user.name;
  return (
    <ul className="flex flex-wrap gap-x-4 text-ink-3 text-label">
      <li>
        Created <Time at={createdAt} />
      </li>
      {members ? (
        <li className="min-w-0 wrap-anywhere">Secret by {creator ?? 'a former member'}</li>
      ) : null}
      <li>
        {expiresAt === null ? (
          'Without an end'
        ) : (
          <>
            Valid until <Time at={expiresAt} />
          </>
        )}
      </li>
      <li>
        {lastUsedAt === null ? (
          'Not used yet'
        ) : (
          <>
            Last used <Time at={lastUsedAt} />
          </>
        )}
      </li>
    </ul>
  );
}

interface RotateProps {
  readonly apiKey: ApiKey;
  readonly onIssued: (issued: IssuedApiKey) => void;
}

function Rotate({ apiKey: { id, projectId, name }, onIssued }: RotateProps) {
  const { client, queries } = useService();
  const [isAsking, setAsking] = useState(false);
  const rotate = async (keepOldHours: number) => {
    try {
      onIssued(await client.apiKeys.rotate(id, { keepOldHours }));
    } finally {
      void refreshProjectList(queries, projectId, 'api-keys');
    }
  };
  return (
    <>
      <Button size="small" onClick={() => setAsking(true)}>
        Rotate<span className="sr-only"> {name}</span>
      </Button>
      <RotationDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Rotate “${name}”`}
        description="The key gets a new secret. It keeps its role and its end. With 0 hours, its external agents stop."
        label="Hours for which the old secret stays valid"
        onRotate={rotate}
      />
    </>
  );
}

function Delete({ apiKey: { id, projectId, name } }: { readonly apiKey: ApiKey }) {
  const { client, queries } = useService();
  const remove = async () => {
    try {
      await client.apiKeys.delete(id);
      toast(`“${name}” was deleted.`);
    } finally {
      void refreshProjectList(queries, projectId, 'api-keys');
    }
  };
  return (
    <ConfirmButton
      subject={name}
      title={`Delete “${name}”?`}
      description="Requests with it fail at once. Whoever joined a room with a token of this key is sent out."
      confirmLabel="Delete"
      onConfirm={remove}
    />
  );
}
