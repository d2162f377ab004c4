import { ChevronDown, TriangleAlert } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { classNames } from './class-names.ts';

interface FieldFrame {
  readonly label: string;
  readonly error?: string | null | undefined;
  readonly hint?: ReactNode;
  /** Hides the label from view. Assistive technology still reads it. */
  readonly isLabelHidden?: boolean | undefined;
}

type Control<Tag extends 'input' | 'textarea' | 'select'> = Readonly<
  Omit<ComponentProps<Tag>, 'style' | 'id'>
>;

const CONTROL =
  'w-full rounded-control border bg-surface text-body text-ink transition-colors placeholder:text-ink-3 hover:border-ink-3 focus:border-iris focus:outline-2 focus:outline-offset-0 focus:outline-iris/30 disabled:cursor-not-allowed disabled:bg-sunken disabled:text-ink-3';

export function TextField({ className, ...rest }: Control<'input'> & FieldFrame) {
  const { frame, own } = parted(rest);
  return (
    <Field {...frame} className={className}>
      {(described, look) => (
        <input {...own} {...described} className={classNames(look, 'h-9 px-3')} />
      )}
    </Field>
  );
}

export function TextArea({ className, ...rest }: Control<'textarea'> & FieldFrame) {
  const { frame, own } = parted(rest);
  return (
    <Field {...frame} className={className}>
      {(described, look) => (
        <textarea
          rows={3}
          {...own}
          {...described}
          className={classNames(look, 'min-h-20 resize-y px-3 py-1.5')}
        />
      )}
    </Field>
  );
}

export function Select({ className, ...rest }: Control<'select'> & FieldFrame) {
  const { frame, own } = parted(rest);
  return (
    <Field {...frame} className={className}>
      {(described, look) => (
        <div className="relative">
          <select
            {...own}
            {...described}
            className={classNames(look, 'h-9 cursor-pointer appearance-none truncate pr-9 pl-3')}
          />
          <ChevronDown
            aria-hidden
            size={16}
            className="pointer-events-none absolute top-2.5 right-2.5 text-ink-3"
          />
        </div>
      )}
    </Field>
  );
}

function parted<Props extends FieldFrame>({ label, error, hint, isLabelHidden, ...own }: Props) {
  return { frame: { label, error, hint, isLabelHidden }, own };
}

interface FieldProps extends FieldFrame {
  readonly className: string | undefined;
  readonly children: (described: Described, look: string) => ReactNode;
}

function Field({ className, children, isLabelHidden = false, ...frame }: FieldProps) {
  const { label, error } = frame;
  const { described, notes } = useDescribed(frame);
  return (
    <div className={classNames('grid content-start gap-1.5', className)}>
      <label
        htmlFor={described.id}
        className={isLabelHidden ? 'sr-only' : 'font-medium text-control text-ink-2'}
      >
        {label}
      </label>
      {children(described, classNames(CONTROL, error ? 'border-gap' : 'border-line'))}
      {notes}
    </div>
  );
}

export function Checkbox({
  label,
  error,
  hint,
  className,
  ...rest
}: Control<'input'> & Omit<FieldFrame, 'isLabelHidden'>) {
  const { described, notes } = useDescribed({ error, hint });
  return (
    <div className={classNames('grid grid-cols-[auto_1fr] gap-x-2.5 gap-y-1', className)}>
      <input
        {...rest}
        {...described}
        type="checkbox"
        className="mt-0.5 size-4 cursor-pointer accent-iris"
      />
      <label htmlFor={described.id} className="cursor-pointer text-control">
        {label}
      </label>
      <div className="col-start-2 grid gap-1 empty:hidden">{notes}</div>
    </div>
  );
}

type Described = ReturnType<typeof useDescribed>['described'];

function useDescribed({ error, hint }: Pick<FieldFrame, 'error' | 'hint'>) {
  const id = useId();
  const ids = classNames(Boolean(hint) && `${id}-hint`, Boolean(error) && `${id}-error`);
  const described = {
    id,
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
  return { described, notes };
}
