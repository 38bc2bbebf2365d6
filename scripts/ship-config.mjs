// Copies config/ to dist/config, and checks and signs every item of the system space there, with a key made for this build.
// Its public half ships as space-key.pem; its private half is never written. What YAML files and items are parsed to goes beside them.
// Run after tsc: node scripts/ship-config.mjs
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../dist/src/config/load.js';
import { shipParsedFiles } from '../dist/src/config/ship-parsed-files.js';
import { PARSED_ITEMS_FILE, parsedItemsText } from '../dist/src/items/parsed-items.js';
import { createParserRouter } from '../dist/src/items/parser-router.js';
import { formsOf } from '../dist/src/items/signature/item-verifier.js';
import { writePublicKey } from '../dist/src/items/signature/public-key.js';
import { signText } from '../dist/src/items/signature/sign-text.js';
import { createSigner } from '../dist/src/items/signature/signer.js';
import { SYSTEM_KEY_NAME } from '../dist/src/items/signature/trust-store.js';
import { createItemValidator } from '../dist/src/items/signature/validate-item.js';
import { createSpaces } from '../dist/src/items/spaces.js';

const source = fileURLToPath(new URL('../config', import.meta.url));
const shipped = fileURLToPath(new URL('../dist/config', import.meta.url));
const draft = `${shipped}-draft`;

rmSync(draft, { recursive: true, force: true });
cpSync(source, draft, { recursive: true, filter: (file) => !/^(?:\.|__pycache__$)/.test(basename(file)) });
const { extractors } = loadConfig({ systemDir: draft }).config;
const router = createParserRouter(extractors);
const systemSpace = join(draft, 'space');
const spaces = createSpaces({ projectPath: systemSpace, systemSpace }, router);
signSpace();
shipParsedItems();
shipParsedFiles(draft);
rmSync(shipped, { recursive: true, force: true });
renameSync(draft, shipped);

function shippedItems() {
  const kinds = ['directive', 'tool', 'knowledge'];
  return kinds.flatMap((kind) => spaces.list(kind).map((id) => spaces.read(kind, id, 'system')));
}

function signSpace() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const order = { signer: createSigner(privateKey), atIso: new Date().toISOString() };
  const validate = createItemValidator(router, extractors);
  const formOf = formsOf(extractors);
  for (const item of shippedItems()) {
    const problems = validate(item);
    if (problems.length > 0) throw new Error(`The ${item.kind} ${item.id} can't be shipped: ${problems.join('; ')}`);
    writeFileSync(item.stamp.file, signText(item.raw, formOf(item), order));
  }
  writeFileSync(join(draft, SYSTEM_KEY_NAME), writePublicKey({ key: publicKey }));
}

/** As they are signed. */
function shipParsedItems() {
  const items = shippedItems().map((item) => ({ item, parsed: router.parse(item) }));
  writeFileSync(join(draft, PARSED_ITEMS_FILE), parsedItemsText(items, extractors.system));
}
