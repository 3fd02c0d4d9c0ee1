import { useSignalEffect } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Session } from '../session.js';
import { onFrame } from '../shared/frame.js';
import type { Entry } from '../store.js';
import { createPointer } from './pointer.js';
import { columns, Row } from './row.js';
import { createScroller, type Scroller } from './scroller.js';
import { Waiting } from './waiting.js';

/** The visible rows and a few around them. A row keeps its element, and so its selection and hover. */
function Rows({ session, scroller }: { session: Session; scroller: Scroller }) {
  const { view, openId, cursor, version, clock } = session;
  void [version.value, scroller.moved.value];
  const [first, end] = scroller.range(view.length());
  const height = scroller.rowHeight();
  const rows = [];
  for (let index = first; index < end; index++) {
    const { seq, summary } = view.at(index) as Entry;
    rows.push(
      <Row
        key={seq}
        seq={seq}
        summary={summary}
        index={index}
        y={index * height}
        selected={summary.id === openId.value}
        active={seq === cursor.value?.seq}
        now={summary.nextAttemptAt === undefined ? 0 : clock.value}
      />,
    );
  }
  return rows;
}

/** Key bindings of the list. */
function actionsOf(session: Session, scroller: Scroller): Record<string, () => void> {
  const { view, cursor, openId, moveTo, toTop } = session;
  const index = cursor.value ? view.indexOf(cursor.value) : -1;
  const page = scroller.rowsInSight() - 1;
  const open = () => cursor.value && session.open(cursor.value.summary.id, 'key');
  return {
    ArrowDown: () => moveTo(index < 0 ? scroller.firstInSight() : index + 1),
    ArrowUp: () => moveTo(index < 0 ? scroller.firstInSight() : index - 1),
    PageDown: () => moveTo(Math.max(0, index) + page),
    PageUp: () => moveTo(Math.max(0, index) - page),
    Home: () => moveTo(0),
    End: () => moveTo(view.length() - 1),
    Enter: open,
    ' ': open,
    Escape: () => (openId.value === undefined ? toTop() : session.close()),
  };
}

const Head = () => (
  <div class="head-group" role="rowgroup">
    <div class="row head" role="row" aria-rowindex={1}>
      {columns.map(([name, title]) => (
        <div key={name} class={`cell ${name}`} role="columnheader">
          {title}
        </div>
      ))}
    </div>
  </div>
);

/** The list of deliveries: a grid in which arrows move, Enter opens and Escape closes. */
export function List({ session }: { session: Session }) {
  const { view, cursor, version, scrolled, tops } = session;
  const list = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const anchor = () => (cursor.value ? view.indexOf(cursor.value) : -1);
  const scroller = useMemo(() => createScroller(anchor), [session]);
  const pointer = useMemo(() => createPointer(session), [session]);
  useLayoutEffect(() => scroller.attach(list.current as HTMLDivElement, canvas.current as HTMLDivElement), [scroller]);

  useSignalEffect(() => {
    void version.value;
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
    onFrame(scroller.scrolled);
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const actions = actionsOf(session, scroller);
    if (!Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    actions[event.key]?.();
  }

  return (
    <>
      <Waiting session={session} onShown={() => list.current?.focus({ preventScroll: true })} />
      <div
        id="list"
        ref={list}
        role="grid"
        tabIndex={0}
        aria-label="Deliveries, newest first"
        aria-activedescendant={cursor.value && `row-${cursor.value.seq}`}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
        {...pointer}
      >
        <Head />
        <div class="canvas" role="rowgroup" ref={canvas}>
          <Rows session={session} scroller={scroller} />
        </div>
      </div>
    </>
  );
}
