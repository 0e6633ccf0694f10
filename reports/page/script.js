'use strict';
(() => {
  const all = (selector, of = document) => Array.from(of.querySelectorAll(selector));

  // Copying. A page that was opened from a folder may lack the clipboard's own interface; the old command stays.
  async function copy(pre) {
    try {
      await navigator.clipboard.writeText(pre.textContent);
      return true;
    } catch {
      getSelection().selectAllChildren(pre);
      return document.execCommand('copy');
    }
  }
  for (const box of all('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.setAttribute('aria-live', 'polite');
    button.addEventListener('click', async () => {
      button.textContent = await copy(box.querySelector('pre')) ? 'Copied' : 'Selected';
      setTimeout(() => { button.textContent = 'Copy'; }, 2000);
    });
    box.append(button);
  }

  // Filters: within a facet any ticked value will do, and every facet must agree.
  const form = document.querySelector('.filters');
  const items = all('[data-item]');
  function filter() {
    const ticked = {};
    for (const box of all('input:checked', form)) {
      (ticked[box.name] ??= new Set()).add(box.value);
    }
    const words = form.elements.find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const item of items) {
      const fits = Object.entries(ticked).every(([facet, values]) => values.has(item.dataset[facet])) &&
        words.every((word) => (item.dataset.item || item.textContent).toLowerCase().includes(word));
      item.classList.toggle('hidden', !fits);
      shown += fits;
    }
    for (const group of all('[data-group]')) { // a heading without an item says nothing
      group.classList.toggle('hidden', !group.querySelector('[data-item]:not(.hidden)'));
    }
    form.querySelector('.shown').textContent = shown;
  }
  function clear() {
    form.reset();
    filter();
  }
  if (form) {
    form.hidden = false;
    form.addEventListener('input', filter);
    form.querySelector('button').addEventListener('click', clear);
    form.addEventListener('submit', (event) => event.preventDefault());
    filter(); // a browser may have kept what was ticked
  }

  // A link into something folded or filtered away brings it out.
  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (form && target.closest('.hidden')) clear();
    for (let box = target.closest('details'); box; box = box.parentElement.closest('details')) box.open = true;
    target.scrollIntoView();
    (target.matches('details') ? target.querySelector('summary') : target).focus({preventScroll: true});
  }
  addEventListener('hashchange', reveal);
  reveal();

  // Keys: / to the search field, j and k to the next and the previous item, arrows within a strip of links.
  const top = (element) => element.getBoundingClientRect().top;
  function step(by) {
    const shown = items.filter((item) => !item.classList.contains('hidden'));
    const at = shown.findIndex((item) => item.contains(document.activeElement));
    const next = at >= 0 ? shown[at + by] : shown.find((item) => top(item) >= 0) ?? shown[0];
    (next?.querySelector('summary') ?? next)?.focus();
  }
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches('input[type=search], textarea')) {
      if (event.key === 'Escape') event.target.blur();
      return;
    }
    if (event.key === '/' && form) {
      event.preventDefault();
      form.elements.find.focus();
    } else if (event.key === 'j') {
      step(1);
    } else if (event.key === 'k') {
      step(-1);
    }
  });
  for (const strip of all('[data-strip]')) {
    const links = all('a', strip);
    links.forEach((link, i) => { link.tabIndex = i ? -1 : 0; });
    strip.addEventListener('keydown', (event) => {
      const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      const next = by && links[links.indexOf(document.activeElement) + by];
      if (!next) return;
      event.preventDefault();
      links.forEach((link) => { link.tabIndex = link === next ? 0 : -1; });
      next.focus();
    });
  }

  // Paper has no folds.
  let folded = [];
  addEventListener('beforeprint', () => {
    folded = all('details:not([open])');
    folded.forEach((box) => { box.open = true; });
  });
  addEventListener('afterprint', () => folded.forEach((box) => { box.open = false; }));
})();
