import theme from 'vitepress/theme-without-fonts';
import { onMounted } from 'vue';
import './style.css';

/** The button of the search is busy until the search box has been loaded. */
function showThatSearchLoads({ target }) {
  const button = target.closest('.DocSearch-Button');
  const isOpen = () => document.querySelector('.VPLocalSearchBox') !== null;
  if (button === null || isOpen()) return;
  button.setAttribute('aria-busy', 'true');
  new MutationObserver((_, observer) => {
    if (!isOpen()) return;
    button.removeAttribute('aria-busy');
    observer.disconnect();
  }).observe(document.body, { childList: true });
}

export default {
  extends: theme,
  setup: () => onMounted(() => document.addEventListener('click', showThatSearchLoads)),
};
