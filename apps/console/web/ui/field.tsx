import { ChevronDown, TriangleAlert } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { classNames } from './class-names.ts';

interface FieldFrame {
  readonly label: string;
  /** What is wrong with the value, as a sentence. */
  readonly error?: string | null | undefined;
  /** What may be written here. */
  readonly hint?: ReactNode;
  /** Hides the label from view. Assistive technology still reads it. */
  readonly isLabelHidden?: boolean;
}

type Control<Tag extends 'input' | 'textarea' | 'select'> = Readonly<
  Omit<ComponentProps<Tag>, 'style' | 'id'>
>;

const CONTROL =
  'w-full rounded-control border bg-surface text-body text-ink transition-colors placeholder:text-ink-3 hover:border-ink-3 focus:border-iris focus:outline-2 focus:outline-offset-0 focus:outline-iris/30 disabled:cursor-not-allowed disabled:bg-sunken disabled:text-ink-3';

/** A field for one line of text. */
export function TextField({
  label,
  error,
  hint,
  isLabelHidden,
  className,
  ...rest
}: Control<'input'> & FieldFrame) {
  const { id, described, frame } = useField({ label, error, hint, isLabelHidden });
  const control = (
    <input {...rest} {...described} id={id} className={controlClass(error, 'h-9 px-3')} />
  );
  return (
    <div className={classNames('grid content-start gap-1.5', className)}>{frame(control)}</div>
  );
}

/** A field for several lines of text. */
export function TextArea({
  label,
  error,
  hint,
  isLabelHidden,
  className,
  ...rest
}: Control<'textarea'> & FieldFrame) {
  const { id, described, frame } = useField({ label, error, hint, isLabelHidden });
  const look = controlClass(error, 'min-h-20 resize-y px-3 py-1.5');
  const control = <textarea rows={3} {...rest} {...described} id={id} className={look} />;
  return (
    <div className={classNames('grid content-start gap-1.5', className)}>{frame(control)}</div>
  );
}

/** A choice of one of several options, given as `option` elements. */
export function Select({
  label,
  error,
  hint,
  isLabelHidden,
  className,
  ...rest
}: Control<'select'> & FieldFrame) {
  const { id, described, frame } = useField({ label, error, hint, isLabelHidden });
  const look = controlClass(error, 'h-9 cursor-pointer appearance-none truncate pr-9 pl-3');
  const control = (
    <div className="relative">
      <select {...rest} {...described} id={id} className={look} />
      <ChevronDown
        aria-hidden
        size={16}
        className="pointer-events-none absolute top-2.5 right-2.5 text-ink-3"
      />
    </div>
  );
  return (
    <div className={classNames('grid content-start gap-1.5', className)}>{frame(control)}</div>
  );
}

/** A box to tick. */
export function Checkbox({
  label,
  error,
  hint,
  className,
  ...rest
}: Control<'input'> & Omit<FieldFrame, 'isLabelHidden'>) {
  const { id, described, notes } = useField({ label, error, hint });
  return (
    <div className={classNames('grid grid-cols-[auto_1fr] gap-x-2.5 gap-y-1', className)}>
      <input
        {...rest}
        {...described}
        id={id}
        type="checkbox"
        className="mt-0.5 size-4 cursor-pointer accent-iris"
      />
      <label htmlFor={id} className="cursor-pointer text-control">
        {label}
      </label>
      <div className="col-start-2 grid gap-1 empty:hidden">{notes}</div>
    </div>
  );
}

function useField({ label, error, hint, isLabelHidden = false }: FieldFrameProps) {
  const id = useId();
  const ids = classNames(Boolean(hint) && `${id}-hint`, Boolean(error) && `${id}-error`);
  const described = {
    'aria-describedby': ids || undefined,
    'aria-invalid': error ? true : undefined,
  } as const;
  const notes = (
    <>
      {hint ? (
        <div id={`${id}-hint`} className="text-ink-3 text-label">
          {hint}
        </div>
      ) : null}
      {error ? (
        <div id={`${id}-error`} className="flex gap-1.5 font-medium text-gap text-label">
          <TriangleAlert aria-hidden size={14} className="mt-px shrink-0" />
          {error}
        </div>
      ) : null}
    </>
  );
  const frame = (control: ReactNode) => (
    <>
      <label
        htmlFor={id}
        className={isLabelHidden ? 'sr-only' : 'font-medium text-control text-ink-2'}
      >
        {label}
      </label>
      {control}
      {notes}
    </>
  );
  return { id, described, frame, notes };
}

type FieldFrameProps = {
  readonly [Key in keyof FieldFrame]: FieldFrame[Key] | undefined;
} & { readonly label: string };

function controlClass(error: string | null | undefined, own: string): string {
  return classNames(CONTROL, error ? 'border-gap' : 'border-line', own);
}
