import { ButtonLink } from '../../ui/button.tsx';
import { MissingState } from '../../ui/missing-state.tsx';

export function NotFoundPage() {
  return (
    <MissingState
      title="There is no such page"
      action={
        <ButtonLink to="/" variant="primary">
          All projects
        </ButtonLink>
      }
    >
      Check the address, or go on from your projects.
    </MissingState>
  );
}
