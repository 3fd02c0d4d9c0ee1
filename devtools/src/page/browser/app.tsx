import { useSignalEffect } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { Detail } from './detail/detail.js';
import { Drawer } from './drawer/drawer.js';
import { Empty } from './drawer/empty.js';
import { Registration } from './drawer/registration.js';
import { Filters } from './list/filters.js';
import { Insight } from './list/insight.js';
import { List } from './list/list.js';
import { phone, type Session } from './session.js';
import { Notices } from './shared/notices.js';
import { KeysDialog } from './top/keys.js';
import { Top } from './top/top.js';

/** Whether the window is so narrow that an open delivery covers the page. */
function usePhone(): boolean {
  const [matches, setMatches] = useState(phone.matches);
  useEffect(() => {
    const onChange = () => setMatches(phone.matches);
    phone.addEventListener('change', onChange);
    return () => phone.removeEventListener('change', onChange);
  }, []);
  return matches;
}

/** The page. Content behind a covering panel is inert. */
export function App({ session }: { session: Session }) {
  const covered = usePhone() && session.openId.value !== undefined;
  useSignalEffect(() => {
    document.body.classList.toggle('detail-open', session.openId.value !== undefined);
  });
  return (
    <>
      <a id="skip" class="skip" href="#list">
        Skip to the deliveries
      </a>
      <header id="top" inert={covered}>
        <Top session={session} />
      </header>
      <main id="main" inert={covered}>
        <h2 class="unseen">Deliveries</h2>
        <search id="filters" aria-label="Deliveries">
          <Filters session={session} />
        </search>
        <Insight session={session} />
        <div id="list-pane">
          <List session={session} />
          <Empty session={session} />
        </div>
      </main>
      <Detail session={session} />
      <Drawer session={session} />
      <Registration session={session} />
      <KeysDialog session={session} />
      <Notices />
    </>
  );
}
