import { ButtonLink } from '../../ui/button.tsx';
import { MissingState } from '../../ui/missing-state.tsx';

/** What a project shows that was deleted or left. */
export function MissingProject() {
  return (
    <MissingState
      title="There is no such project"
      action={
        <ButtonLink to="/" variant="primary">
          All projects
        </ButtonLink>
      }
    >
      It was deleted, or you are not a member of it. An owner of the project can add you.
    </MissingState>
  );
}
