import type { Session } from '@session/contract';
import { ButtonLink } from '../../ui/button.tsx';
import { MissingState } from '../../ui/missing-state.tsx';

export function MissingSession({ last }: { readonly last: Session | undefined }) {
  if (!last) {
    return (
      <MissingState
        title="There is no such session"
        action={<ButtonLink to="/">Your projects</ButtonLink>}
      >
        It was deleted, or it belongs to a project that you are not a member of. Ask the person who
        sent you the link.
      </MissingState>
    );
  }
  const { name, projectId } = last;
  return (
    <MissingState
      title={`“${name}” is gone`}
      action={
        <ButtonLink to="/projects/$projectId" params={{ projectId }}>
          Sessions of the project
        </ButtonLink>
      }
    >
      It was deleted, or you are no longer a member of its project. Its history cannot be read any
      more.
    </MissingState>
  );
}
