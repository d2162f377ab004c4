import { ButtonLink } from '../../ui/button.tsx';
import { MissingState } from '../../ui/missing-state.tsx';

/** What a project shows that was deleted or left. */
export function MissingProject() {
  return (
    <MissingState
      title="This project is not there"
      action={
        <ButtonLink to="/" variant="primary">
          All projects
        </ButtonLink>
      }
    >
      Either it was deleted, or you are no longer a member of it. An owner of the project can add
      you again.
    </MissingState>
  );
}
