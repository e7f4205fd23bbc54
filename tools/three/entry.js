export {
  ACESFilmicToneMapping, AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, CanvasTexture, Color, ConeGeometry, CylinderGeometry,
  DirectionalLight, DoubleSide, DynamicDrawUsage, EdgesGeometry, Group, HemisphereLight, InstancedMesh, Line, LineBasicMaterial,
  LineDashedMaterial, LineSegments, Matrix3, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, Object3D, PCFShadowMap,
  PerspectiveCamera, PlaneGeometry, Quaternion, Raycaster, RingGeometry, Scene, ShaderMaterial, ShadowMaterial, SphereGeometry, Spherical,
  Sprite, SpriteMaterial, SRGBColorSpace, TorusGeometry, Vector2, Vector3, WebGLRenderer, MathUtils,
} from "three";
export { OrbitControls } from "three/addons/controls/OrbitControls.js";
