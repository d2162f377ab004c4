import type { Member } from '@session/client';
import type { Me } from '@session/contract';
import { type QueryClient, useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { meQuery } from '../../service/me.ts';
import { isAtLeast, mayRemove, ROLES, roleName } from '../../service/permissions.ts';
import { ME_KEY, refreshProjectList } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { Badge } from '../../ui/badge.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { failureSentence } from '../../ui/failure.ts';
import { Select } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';

interface MemberRowProps {
  readonly member: Member;
  readonly ownRole: string | undefined;
  readonly isSelf: boolean;
}

export function MemberRow({ member, ownRole, isSelf }: MemberRowProps) {
  const { user, role } = member;
  const [error, setError] = useState<Error | null>(null);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="grid min-w-40 flex-1">
        <span className="flex flex-wrap items-center gap-x-2">
          <span className="min-w-0 font-medium text-control text-ink wrap-anywhere">
            {user.name}
          </span>
          {isSelf ? <Badge>You</Badge> : null}
        </span>
        <span className="text-control text-ink-3 wrap-anywhere">{user.email}</span>
      </div>
      <div className="flex items-center gap-2">
        {isAtLeast(ownRole, 'OWNER') ? (
          <RoleSelect member={member} onError={setError} />
        ) : (
          <Badge>{roleName(role)}</Badge>
        )}
        {isSelf ? <Leave member={member} /> : null}
        {!isSelf && mayRemove(ownRole, role) ? <Remove member={member} /> : null}
      </div>
      {error ? (
        <p role="alert" className="basis-full text-control text-gap">
          {failureSentence(error)}
        </p>
      ) : null}
    </li>
  );
}

interface RoleSelectProps {
  readonly member: Member;
  readonly onError: (error: Error | null) => void;
}

function RoleSelect({ member, onError }: RoleSelectProps) {
  const { projectId, userId, user, role } = member;
  const { client, queries } = useService();
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (chosen: (typeof ROLES)[number]) =>
      client.members.changeRole(projectId, userId, { role: chosen }),
    onMutate: () => onError(null),
    onError,
    onSuccess: (changed) => toast(`${user.name} is now ${roleName(changed.role)}.`),
    onSettled: () => refreshMembers(queries, projectId),
  });
  const shown = isPending ? (variables ?? role) : role;
  const names: readonly string[] = ROLES;
  return (
    <Select
      label={`Role of ${user.name}`}
      isLabelHidden
      value={shown}
      disabled={isPending}
      onChange={({ target: { value } }) => {
        const chosen = ROLES.find((name) => name === value);
        if (chosen) mutate(chosen);
      }}
      className="w-32"
    >
      {ROLES.map((name) => (
        <option key={name} value={name}>
          {roleName(name)}
        </option>
      ))}
      {names.includes(role) ? null : <option value={role}>{role}</option>}
    </Select>
  );
}

function Remove({ member: { projectId, userId, user } }: { readonly member: Member }) {
  const { client, queries } = useService();
  const remove = async () => {
    try {
      await client.members.remove(projectId, userId);
      toast(`${user.name} was removed.`);
    } finally {
      void refreshMembers(queries, projectId);
    }
  };
  return (
    <ConfirmButton
      subject={user.name}
      className="w-20"
      title={`Remove ${user.name}?`}
      description="They lose access to the project at once. What they said and started stays."
      confirmLabel="Remove"
      onConfirm={remove}
    />
  );
}

function Leave({ member: { projectId, userId } }: { readonly member: Member }) {
  const { client, queries } = useService();
  const navigate = useNavigate();
  const leave = async () => {
    await client.members.remove(projectId, userId);
    // The page of all projects opens a single project at once. It must not open the project that was just left.
    queries.setQueryData(meQuery(client).queryKey, (me) => me && without(me, projectId));
    // An earlier read of the account, answered later, would bring the project back.
    void queries.invalidateQueries({ queryKey: ME_KEY });
    await navigate({ to: '/', replace: true });
    toast('You left the project.');
  };
  return (
    <ConfirmButton
      className="w-20"
      title="Leave this project?"
      description="You lose access to its sessions at once. Only an admin or owner can add you again."
      confirmLabel="Leave"
      onConfirm={leave}
    />
  );
}

function without(me: Me, projectId: string): Me {
  const others = me.projectMemberships.filter((membership) => membership.projectId !== projectId);
  return { ...me, projectMemberships: others };
}

function refreshMembers(queries: QueryClient, projectId: string) {
  void queries.invalidateQueries({ queryKey: ME_KEY });
  return refreshProjectList(queries, projectId, 'members');
}
