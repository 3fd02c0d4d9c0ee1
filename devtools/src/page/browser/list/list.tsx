import { useSignalEffect } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Session } from '../session.js';
import { counted } from '../shared/format.js';
import type { Line } from '../view.js';
import { createPointer } from './pointer.js';
import { headings, Row } from './row.js';
import { createScroller, type Scroller } from './scroller.js';

/** The visible rows and a few around them. A row keeps its element, and so its selection and hover. */
function Rows({ session, scroller }: { session: Session; scroller: Scroller }) {
  const { store, view, openId, cursor, picked, clock } = session;
  void scroller.moved.value;
  const [first, end] = scroller.range(view.length());
  const openIndex = view.indexOf(store.get(openId.value));
  const active = view.indexOf(cursor.value);
  const height = scroller.rowHeight();
  const showsTarget = store.facets().targets.size > 1;
  const rows = [];
  for (let index = first; index < end; index++) {
    const line = view.at(index) as Line;
    const { seq, summary } = line.entry;
    rows.push(
      <Row
        key={seq}
        line={line}
        summary={summary}
        folded={line.entries.length}
        isOpened={line.isOpened}
        index={index}
        y={index * height}
        selected={index === openIndex}
        active={index === active}
        picked={picked.value.has(summary.id)}
        showsTarget={showsTarget}
        now={summary.nextAttemptAt === undefined ? 0 : clock.value}
      />,
    );
  }
  return rows;
}

/** Key bindings of the list. */
function actionsOf(session: Session, scroller: Scroller): Record<string, () => void> {
  const { view, cursor, openId, moveTo, toTop } = session;
  const index = view.indexOf(cursor.value);
  const line = view.at(index);
  const page = scroller.rowsInSight() - 1;
  const open = () => line && session.open(line.entry.summary.id, 'key');
  const fold = (isOpened: boolean) => () => {
    if (line && line.entries.length > 1 && line.isOpened === isOpened) session.toggle(line);
  };
  return {
    ArrowDown: () => moveTo(index < 0 ? scroller.firstInSight() : index + 1),
    ArrowUp: () => moveTo(index < 0 ? scroller.firstInSight() : index - 1),
    ArrowRight: fold(false),
    ArrowLeft: fold(true),
    PageDown: () => moveTo(Math.max(0, index) + page),
    PageUp: () => moveTo(Math.max(0, index) - page),
    Home: () => moveTo(0),
    End: () => moveTo(view.length() - 1),
    Enter: open,
    ' ': open,
    x: () => line && session.pick(line),
    Escape: () => (openId.value === undefined ? toTop() : session.close()),
  };
}

/** How many deliveries wait while the list is on hold, and a button that shows them. */
function Waiting({ session, onShown }: { session: Session; onShown: () => void }) {
  const { view, paused, toTop } = session;
  const count = view.waiting();
  if (count === 0 && !paused.value) return null;
  const words = [paused.value && 'Paused', count > 0 && counted(count, 'new delivery', 'new deliveries')];
  function show(): void {
    toTop();
    onShown();
  }
  return (
    <button id="waiting" type="button" class="primary" onClick={show}>
      {count > 0 && '↑ '}
      {words.filter(Boolean).join(' · ')}
    </button>
  );
}

/** The list of deliveries: a grid in which arrows move, Enter opens and Escape closes. */
export function List({ session }: { session: Session }) {
  const { view, cursor, scrolled, tops } = session;
  const list = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const scroller = useMemo(createScroller, [session]);
  const pointer = useMemo(() => createPointer(session), [session]);
  useLayoutEffect(() => scroller.attach(list.current as HTMLDivElement, canvas.current as HTMLDivElement), [scroller]);

  useSignalEffect(() => {
    scroller.setTotal(view.length());
    list.current?.setAttribute('aria-rowcount', String(view.length() + 1));
  });
  useSignalEffect(() => {
    const entry = cursor.value;
    if (!entry) return;
    scroller.setTotal(view.length());
    scroller.reveal(view.indexOf(entry));
  });
  useSignalEffect(() => {
    if (tops.value > 0 && list.current) list.current.scrollTop = 0;
  });

  function onScroll(): void {
    scrolled.value = (list.current?.scrollTop ?? 0) > 0;
    scroller.scrolled();
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const actions = actionsOf(session, scroller);
    if (!Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    actions[event.key]?.();
  }
  const active = cursor.value && view.lineOf(cursor.value.seq);

  return (
    <>
      <Waiting session={session} onShown={() => list.current?.focus({ preventScroll: true })} />
      <div
        id="list"
        ref={list}
        role="grid"
        tabIndex={0}
        aria-label="Deliveries, newest first"
        aria-activedescendant={active && `row-${active.entry.seq}`}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
        {...pointer}
      >
        <div class="unseen" role="rowgroup">
          <div role="row" aria-rowindex={1}>
            {headings.map((title) => (
              <span key={title} role="columnheader">
                {title}
              </span>
            ))}
          </div>
        </div>
        <div class="canvas" role="rowgroup" ref={canvas}>
          <Rows session={session} scroller={scroller} />
        </div>
      </div>
    </>
  );
}
