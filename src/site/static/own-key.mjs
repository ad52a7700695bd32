/**
 * The key of the reader, kept in this tab alone, and the address of this service. They replace the placeholders of
 * all code on a page.
 */
const NAME = 'dms-own-key';
const ADDRESSES = ['https://loggers.example.com', '$(from baseUrl)'];
const KEYS = ['$DMS_KEY', '$(from apiKey)'];

const readKey = () => sessionStorage.getItem(NAME) ?? '';

function startOwnKey(details) {
  const codes = textsWithPlaceholders();
  const input = details.querySelector('input');
  input.value = readKey();
  details.hidden = false;
  show(codes);
  input.addEventListener('input', () => {
    sessionStorage.setItem(NAME, input.value.trim());
    show(codes);
  });
  details.querySelector('form').addEventListener('submit', (event) => {
    event.preventDefault();
    details.open = false;
  });
}

/** Code elements with the text that the page came with. */
const textsWithPlaceholders = () =>
  [...document.querySelectorAll('pre code')]
    .map((code) => ({ code, text: code.textContent }))
    .filter(({ text }) => [...ADDRESSES, ...KEYS].some((each) => text.includes(each)));

function show(codes) {
  const key = readKey();
  for (const { code, text } of codes) {
    const withAddress = replaced(text, ADDRESSES, location.origin);
    code.textContent = key === '' ? withAddress : replaced(withAddress, KEYS, key);
  }
}

const replaced = (text, placeholders, value) =>
  placeholders.reduce((result, each) => result.replaceAll(each, () => value), text);

const details = document.querySelector('.own');
if (details) startOwnKey(details);
