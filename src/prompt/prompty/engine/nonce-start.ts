/** How every nonce begins (S4), and so every placeholder: a text without it has none, however many there are. */
export const NONCE_START = '__PROMPTY_THREAD_';
